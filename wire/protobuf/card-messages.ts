import { field, map, message, oneof, repeated } from './message.js';

/** What the agent cards of 0.3 and 1.0 have in common; 1.0 has added fields and taken no number away. */

const SCOPES = map(3, 'string');

const OAUTH_FLOWS = message(
  oneof('flow', {
    authorizationCode: [
      1,
      message({
        authorizationUrl: field(1, 'string'),
        tokenUrl: field(2, 'string'),
        refreshUrl: field(3, 'string'),
        scopes: map(4, 'string'),
        pkceRequired: field(5, 'bool'),
      }),
    ],
    clientCredentials: [
      2,
      message({ tokenUrl: field(1, 'string'), refreshUrl: field(2, 'string'), scopes: SCOPES }),
    ],
    implicit: [
      3,
      message({ authorizationUrl: field(1, 'string'), refreshUrl: field(2, 'string'), scopes: SCOPES }),
    ],
    password: [4, message({ tokenUrl: field(1, 'string'), refreshUrl: field(2, 'string'), scopes: SCOPES })],
    deviceCode: [
      5,
      message({
        deviceAuthorizationUrl: field(1, 'string'),
        tokenUrl: field(2, 'string'),
        refreshUrl: field(3, 'string'),
        scopes: map(4, 'string'),
      }),
    ],
  }),
);

export const SECURITY_SCHEME = message(
  oneof('scheme', {
    apiKeySecurityScheme: [
      1,
      message({ description: field(1, 'string'), location: field(2, 'string'), name: field(3, 'string') }),
    ],
    httpAuthSecurityScheme: [
      2,
      message({
        description: field(1, 'string'),
        scheme: field(2, 'string'),
        bearerFormat: field(3, 'string'),
      }),
    ],
    oauth2SecurityScheme: [
      3,
      message({
        description: field(1, 'string'),
        flows: field(2, OAUTH_FLOWS),
        oauth2MetadataUrl: field(3, 'string'),
      }),
    ],
    openIdConnectSecurityScheme: [
      4,
      message({ description: field(1, 'string'), openIdConnectUrl: field(2, 'string') }),
    ],
    mtlsSecurityScheme: [5, message({ description: field(1, 'string') })],
  }),
);

export const SECURITY_REQUIREMENT = message({ schemes: map(1, message({ list: repeated(1, 'string') })) });

export const PROVIDER = message({ url: field(1, 'string'), organization: field(2, 'string') });

export const EXTENSION = message({
  uri: field(1, 'string'),
  description: field(2, 'string'),
  required: field(3, 'bool'),
  params: field(4, 'struct'),
});

/** All of a skill but what it asks of its callers, which the two call by different names. */
export const SKILL_FIELDS = {
  id: field(1, 'string'),
  name: field(2, 'string'),
  description: field(3, 'string'),
  tags: repeated(4, 'string'),
  examples: repeated(5, 'string'),
  inputModes: repeated(6, 'string'),
  outputModes: repeated(7, 'string'),
};

export const SIGNATURE = message({
  protected: field(1, 'string'),
  signature: field(2, 'string'),
  header: field(3, 'struct'),
});

type Requirements = Record<string, string[]>[];

interface Secured {
  security?: Requirements;
  skills?: Secured[];
}

/** A 0.3 card with its requirements as the proto has them: a message around each list of scopes. */
export function protoSecurity(card: object): object {
  const { security, skills, ...rest } = card as Secured;
  return {
    ...rest,
    ...(security !== undefined && { security: security.map(requirement) }),
    ...(skills !== undefined && { skills: skills.map(protoSecurity) }),
  };
}

function requirement(schemes: Requirements[number]): object {
  const listed = Object.entries(schemes).map(([name, list]) => [name, { list }] as const);
  return { schemes: Object.fromEntries(listed) };
}

import type { ConversationSettings } from '../../core/generation.js';
import type { ModelMessage, ModelRequest } from './model.js';
import type { ConfiguredModel } from './configured-model.js';
import { outputInstruction, strictForm } from './output.js';

/** What a model is asked in one turn: the conversation, what holds for all of it, and the model's own settings. */
export function modelRequest(
  configured: ConfiguredModel,
  taskId: string,
  settings: ConversationSettings,
  messages: ModelMessage[],
): ModelRequest {
  const { tools = [], output } = settings;
  const temperature = settings.temperature ?? configured.temperature;
  const maxOutputTokens = settings.maxOutputTokens ?? configured.maxOutputTokens;
  const form = output && configured.takesSchemas ? strictForm(output.schema) : undefined;
  const providerOptions = configured.options?.({ taskId, strict: form?.strict ?? false });
  return {
    prompt: [...systemMessage(configured, settings), ...messages],
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: { type: 'auto' as const },
    }),
    ...(form && { responseFormat: { type: 'json' as const, name: 'answer', schema: form.schema } }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(providerOptions && { providerOptions }),
  };
}

/** A model that takes no schema is told the form of its answer in words. */
function systemMessage(
  { takesSchemas, systemOptions }: ConfiguredModel,
  { system, output }: ConversationSettings,
): ModelMessage[] {
  const instruction = output && !takesSchemas ? outputInstruction(output.schema) : undefined;
  const content = [system, instruction].filter((text) => text !== undefined && text !== '').join('\n\n');
  if (content === '') return [];
  return [{ role: 'system', content, ...(systemOptions && { providerOptions: systemOptions }) }];
}

/** What an agent's author needs. Pure: it is bundled into workflows, so nothing here touches Node.js. */
export type { AgentCardDetails, AgentExtension, AgentSkill } from './core/agent-card.js';
export {
  AskTimeout,
  defineAgent,
  type ActivityCallOptions,
  type ActivityCalls,
  type ActivityContext,
  type AgentDefinition,
  type ArtifactInput,
  type ArtifactStream,
  type AskOptions,
  type AuthRequest,
  type Content,
  type Generated,
  type GeneratedOutput,
  type GenerateOptions,
  type Schema,
  type SchemaIssue,
  type TaskContext,
  type Tool,
} from './core/agent.js';
export type { Duration } from './core/duration.js';
export { OutputMismatch, type OutputSchema } from './core/output.js';
export type { Usage } from './core/usage.js';
export type { Artifact, Json, Message, Metadata, Part, Task, TaskState } from './core/task.js';

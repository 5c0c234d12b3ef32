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
  type GenerateOptions,
  type Schema,
  type TaskContext,
  type Tool,
  type Usage,
} from './core/agent.js';
export type { Duration } from './core/duration.js';
export type { Artifact, Json, Message, Metadata, Part, Task, TaskState } from './core/task.js';

/**
 * What all runs of a worker share: evaluated once, frozen, and not again for each task. Nothing here may keep state
 * outside of the objects that it makes.
 */
import '../core/session/session.js';

/**
 * The SDK takes a stack trace for each promise that a workflow makes, at a cost for each frame. Two of them are its
 * own; the others still show the line of the agent.
 */
Error.stackTraceLimit = 5;

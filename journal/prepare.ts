import type { Compilable, CompiledQuery, Kysely } from 'kysely';
import type { Tables } from './schema.js';

/** A connection, or a transaction on one. */
export type Db = Kysely<Tables>;

/**
 * A query that is built and compiled once per database and then run with other values: building costs
 * Kysely more than running costs SQLite.
 *
 * ```ts
 * const taskState = prepare((db, value: { taskId: string }) =>
 *   db.selectFrom('tasks').select('state').where('task_id', '=', value.taskId));
 * const [row] = await taskState(db, { taskId });
 * ```
 *
 * While it is built, the properties of `value` are stand-ins: pass them on, do not look at them.
 */
export function prepare<P extends object, O>(
  build: (db: Db, value: P) => Compilable<O>,
): (db: Db, values: P) => Promise<O[]> {
  const compiled = new WeakMap<object, CompiledQuery>();
  return async (db, values) => {
    const dialect = db.getExecutor().adapter;
    let query = compiled.get(dialect);
    if (query === undefined) {
      query = build(db, standIns() as P).compile();
      compiled.set(dialect, query);
    }
    const parameters = query.parameters.map((parameter) =>
      parameter instanceof StandIn ? values[parameter.name as keyof P] : parameter,
    );
    const { rows } = await db.executeQuery({ ...query, parameters });
    return rows as O[];
  };
}

class StandIn {
  constructor(readonly name: string) {}
}

function standIns(): object {
  return new Proxy({}, { get: (_, name) => new StandIn(String(name)) });
}

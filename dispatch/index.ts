export { TemporalConnection, type TemporalSettings } from './connection.js';
export { Dispatcher, type DispatcherOptions } from './dispatcher.js';
export { ensureReconcileSchedule } from './reconcile-schedule.js';
export { TemporalView } from './temporal-view.js';

import type { ColumnDefinitionBuilder, ColumnDataType } from 'kysely';

/** Column types that the two databases name differently. */
export interface Columns {
  /** Milliseconds since the epoch. */
  millis: ColumnDataType;
  /** Makes an integer column the primary key and counts it up, never giving a number twice. */
  serial(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder;
}

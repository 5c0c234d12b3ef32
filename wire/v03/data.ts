import { isObject } from '../../core/well-formed.js';
import type { Json, Metadata } from '../../core/task.js';

/**
 * 0.3 knows data only as an object. Any other value travels as `{value: …}` under a mark in the part's
 * metadata: the convention of the official clients, which undo it.
 */
const MARK = 'data_part_compat';

type Data = { [key: string]: Json };

export function wrapData(data: Json, metadata: Metadata | undefined): { data: Data; metadata?: Metadata } {
  if (isObject(data)) return { data, ...(metadata !== undefined && { metadata }) };
  return { data: { value: data }, metadata: { ...metadata, [MARK]: true } };
}

export function unwrapData(data: Json, metadata: Metadata | undefined): { data: Json; metadata?: Metadata } {
  if (metadata?.[MARK] === true && isObject(data) && Object.hasOwn(data, 'value')) {
    const { [MARK]: _, ...rest } = metadata;
    const left = Object.keys(rest).length > 0;
    return { data: data.value as Json, ...(left && { metadata: rest }) };
  }
  return { data, ...(metadata !== undefined && { metadata }) };
}

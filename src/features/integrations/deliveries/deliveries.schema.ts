/** The log of what was delivered to webhooks. */
import { Type } from 'typebox'
import { Instant, nullable, oneOf, resource } from '../../../http/parameters/schema.ts'

const Headers = Type.Record(Type.String(), Type.String())

export const HookEvent = resource('HookEvent', {
  id: Type.Integer(),
  uuid: Type.String({ description: 'X-Gitstead-Delivery: the same in each attempt' }),
  url: Type.String(),
  trigger: Type.String(),
  state: oneOf('waiting', 'delivered', 'failed'),
  attempts: Type.Integer(),
  request_headers: Headers,
  request_data: Type.Unsafe<unknown>({
    type: ['object', 'null'],
    additionalProperties: true,
    description: 'The payload; null until it is made',
  }),
  response_headers: Headers,
  response_body: nullable(Type.String({ description: 'Its beginning' })),
  response_status: nullable(Type.String()),
  execution_duration: nullable(Type.Number({ description: 'Seconds' })),
  internal_error_message: nullable(Type.String()),
  due_at: nullable(Instant),
  created_at: Instant,
  attempted_at: nullable(Instant),
})

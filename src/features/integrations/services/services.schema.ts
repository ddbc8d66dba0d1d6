/** Integrations as JSON, and the parameters of all kinds, from the table of kinds. */
import { type TProperties, type TSchema, Type } from 'typebox'
import { Instant, nullable, resource, text } from '../../../http/parameters/schema.ts'
import { eventFlags, type Field, kinds } from '../kinds/kinds.ts'

export const Integration = resource('Integration', {
  id: nullable(Type.Integer({ description: 'Null where it was never set' })),
  title: Type.String(),
  slug: Type.String(),
  created_at: nullable(Instant),
  updated_at: nullable(Instant),
  active: Type.Boolean(),
  commit_events: Type.Boolean(),
  push_events: Type.Boolean(),
  issues_events: Type.Boolean(),
  confidential_issues_events: Type.Boolean(),
  merge_requests_events: Type.Boolean(),
  tag_push_events: Type.Boolean(),
  note_events: Type.Boolean(),
  confidential_note_events: Type.Boolean(),
  pipeline_events: Type.Boolean(),
  wiki_page_events: Type.Boolean(),
  job_events: Type.Boolean(),
  properties: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Its fields, but for those that are secret',
  }),
})

const maxText = 20_000
export const flagNames = [...eventFlags, 'commit_events'] as const

function typeOf({ type }: Field): TSchema {
  return type === 'checkbox' ? Type.Boolean() : type === 'number' ? Type.Integer({ minimum: 1, maximum: 65_535 }) : text(maxText)
}

/** The description of a field says which kinds have it. */
const fields: TProperties = Object.fromEntries(
  kinds
    .flatMap((kind) => kind.fields)
    .map((field) => {
      const having = kinds.filter((kind) => kind.fields.some(({ name }) => name === field.name)).map(({ slug }) => slug)
      const secrecy = kinds.some((kind) => kind.fields.some(({ name, secret }) => name === field.name && secret))
        ? '; never returned if secret'
        : ''
      return [field.name, Type.Optional(Type.Unsafe({ ...typeOf(field), description: `Of ${having.join(', ')}${secrecy}` }))]
    }),
)

export const integrationBody: TProperties = {
  ...fields,
  active: Type.Optional(Type.Boolean({ default: true })),
  ...Object.fromEntries(flagNames.map((flag) => [flag, Type.Optional(Type.Boolean())])),
}

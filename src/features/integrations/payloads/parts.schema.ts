/** Common shapes of payloads: types of what is sent, which tests verify. */
import { type TProperties, Type } from 'typebox'
import { Instant, nullable, oneOf } from '../../../http/parameters/schema.ts'

/** An object with only these fields. */
export function shape<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

const text = Type.String()
const number = Type.Integer()
export const maybeText = nullable(text)
export const maybeNumber = nullable(number)
export const maybeInstant = nullable(Instant)

export const UserPart = shape({ id: number, name: text, username: text, avatar_url: maybeText, email: text })

const VisibilityLevel = Type.Union([Type.Literal(0), Type.Literal(10), Type.Literal(20)])

export const ProjectPart = shape({
  id: number,
  name: text,
  description: text,
  web_url: text,
  avatar_url: maybeText,
  git_ssh_url: text,
  git_http_url: text,
  namespace: text,
  visibility_level: VisibilityLevel,
  path_with_namespace: text,
  default_branch: maybeText,
  ci_config_path: maybeText,
  homepage: text,
  url: text,
  ssh_url: text,
  http_url: text,
})

export const RepositoryPart = shape({ name: text, url: text, description: text, homepage: text })

export const FullRepositoryPart = shape({
  ...RepositoryPart.properties,
  git_http_url: text,
  git_ssh_url: text,
  visibility_level: VisibilityLevel,
})

export const CommitPart = shape({
  id: text,
  message: text,
  title: text,
  timestamp: Instant,
  url: text,
  author: shape({ name: text, email: text }),
})

export const LabelPart = shape({
  id: number,
  title: text,
  color: text,
  project_id: maybeNumber,
  group_id: maybeNumber,
  created_at: Instant,
  updated_at: Instant,
  template: Type.Boolean(),
  description: maybeText,
  type: oneOf('ProjectLabel', 'GroupLabel'),
})

export const Changes = Type.Record(text, shape({ previous: Type.Unknown(), current: Type.Unknown() }))

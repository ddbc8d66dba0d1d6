/** Statuses of commits (spec 2.8). */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

const text = Type.String()

export const CommitStatus = resource('CommitStatus', {
  id: Type.Integer(),
  sha: text,
  ref: text,
  status: text,
  name: text,
  target_url: nullable(text),
  description: nullable(text),
  created_at: Instant,
  started_at: nullable(Instant),
  finished_at: nullable(Instant),
  allow_failure: Type.Boolean(),
  coverage: nullable(Type.Number()),
  author: nullable(UserBrief),
})

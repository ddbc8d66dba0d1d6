/** Comments on commits (spec 2.8). */
import { Type } from 'typebox'
import { Instant, nullable, resource } from '../../../http/parameters/schema.ts'
import { UserBrief } from '../../people/users/users.schema.ts'

export const CommitComment = resource('CommitComment', {
  note: Type.String(),
  path: nullable(Type.String()),
  line: nullable(Type.Integer()),
  line_type: nullable(Type.String({ description: '`new` or `old`' })),
  author: UserBrief,
  created_at: Instant,
})

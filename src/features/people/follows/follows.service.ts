/** Following users: who follows somebody has them on a list, and is on theirs. */
import { mayAct } from '../../../access/states.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { Failure, notFound } from '../../../failure.ts'
import { deleteFollow, insertFollow } from './follows.queries.ts'

/** Throws 304 where they do already, and of themselves; 404 for who is no active person. */
export async function follow(app: App, user: User, followed: User): Promise<void> {
  if (followed.kind !== 'human' || !mayAct(followed)) throw notFound('User')
  if (user.id === followed.id || !(await insertFollow(app.db, user.id, followed.id))) throw unchanged()
}

/** Throws 304 where they don't. */
export async function unfollow(app: App, user: User, followed: User): Promise<void> {
  if (!(await deleteFollow(app.db, user.id, followed.id))) throw unchanged()
}

function unchanged(): Failure {
  return new Failure('not_modified', '304 Not Modified')
}

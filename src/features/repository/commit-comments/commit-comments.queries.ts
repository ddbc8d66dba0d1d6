/** SQL for comments on commits. */
import { type Insertable, sql } from 'kysely'
import { type Db, type PageOf, paginate } from '../../../db/database.ts'
import type { CommitComment, CommitCommentTable } from '../../../db/tables.ts'
import type { UserInBrief } from '../../people/users/users.ts'

/** A comment with who wrote it. */
export type Comment = Omit<CommitComment, 'author_id'> & { author: UserInBrief }

const columns = ['id', 'project_id', 'commit_oid', 'author_id', 'path', 'line', 'line_type', 'created_at'] as const

/** The oldest first. Of longer notes only so many characters are read, where a maximum is given. */
export async function listComments(
  db: Db,
  project_id: number,
  commit_oid: string,
  page: PageOf,
  max_chars: number | null = null,
): Promise<{ rows: Comment[]; total: number }> {
  const whole = sql.ref<string>('commit_comments.note')
  const query = db
    .selectFrom('commit_comments')
    .innerJoin('users', 'users.id', 'commit_comments.author_id')
    .select(columns.map((column) => `commit_comments.${column}` as const))
    .select((max_chars === null ? whole : sql<string>`substr(${whole}, 1, ${sql.lit(max_chars)})`).as('note'))
    .select(['users.name', 'users.username', 'users.state', 'users.kind', 'users.avatar_name'])
    .where('commit_comments.project_id', '=', project_id)
    .where('commit_oid', '=', commit_oid)
    .orderBy('commit_comments.id')
  const { rows, total } = await paginate(query, page)
  return {
    rows: rows.map(({ author_id, name, username, state, kind, avatar_name, ...comment }) => ({
      ...comment,
      author: { id: author_id, name, username, state, kind, avatar_name },
    })),
    total,
  }
}

export function insertComment(db: Db, comment: Insertable<CommitCommentTable>): Promise<CommitComment> {
  return db.insertInto('commit_comments').values(comment).returningAll().executeTakeFirstOrThrow()
}

export async function moveComments(db: Db, from: number, to: number): Promise<void> {
  await db.updateTable('commit_comments').set({ author_id: to }).where('author_id', '=', from).execute()
}

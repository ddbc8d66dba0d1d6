/** Converts comments on commits to notes, so that commits are discussed like everything else. */
import { randomBytes } from 'node:crypto'
import { type Kysely, sql } from 'kysely'

interface Comment {
  id: number
  project_id: number
  commit_oid: string
  author_id: number
  note: string
  path: string | null
  line: number | null
  line_type: 'new' | 'old' | null
  created_at: string
}

/** Rows in memory at once: a comment may be a megabyte. */
const batch = 50

export async function moveCommentsToNotes(db: Kysely<unknown>): Promise<void> {
  let isPlaced = false
  for (let last = 0; ; ) {
    const { rows } = await sql<Comment>`select * from commit_comments where id > ${last} order by id limit ${sql.lit(batch)}`.execute(db)
    for (const comment of rows) {
      await moveComment(db, comment)
      isPlaced = isPlaced || comment.path !== null
      last = comment.id
    }
    if (rows.length < batch) break
  }
  await db.schema.alterTable('events').dropColumn('target_id').execute()
  await db.schema.dropTable('commit_comments').execute()
  if (isPlaced) await placeLater(db)
}

async function moveComment(db: Kysely<unknown>, comment: Comment): Promise<void> {
  const { id, project_id, commit_oid, author_id, note, created_at } = comment
  const position = positionOf(comment)
  const type = position === null ? null : 'DiffNote'
  const { rows } = await sql<{ id: number }>`insert into notes
    (project_id, author_id, commit_oid, discussion_id, type, body, original_position, position, created_at, updated_at)
    values (${project_id}, ${author_id}, ${commit_oid}, ${randomBytes(20).toString('hex')}, ${type}, ${note}, ${position}, ${position},
      ${created_at}, ${created_at}) returning id`.execute(db)
  await sql`update events set note_id = ${rows[0]?.id}, target_id = null
    where action = 'commented' and target_id = ${id} and note_id is null and project_id = ${project_id}`.execute(db)
}

/** Only git knows the parent of the commit, so a job adds it later. Until then the position starts at the commit itself. */
function positionOf({ commit_oid, path, line, line_type }: Comment): string | null {
  if (path === null || line === null) return null
  const refs = { base_sha: null, start_sha: commit_oid, head_sha: commit_oid }
  const lines = line_type === 'old' ? { old_line: line, new_line: null } : { old_line: null, new_line: line }
  return JSON.stringify({ ...refs, old_path: path, new_path: path, position_type: 'text', ...lines, line_range: null })
}

async function placeLater(db: Kysely<unknown>): Promise<void> {
  const at = new Date().toISOString()
  await sql`insert into jobs (name, payload, state, run_at, attempts, unique_key, created_at)
    values ('notes.place_on_commits', '{}', 'ready', ${at}, 0, 'once notes.place_on_commits', ${at})`.execute(db)
}

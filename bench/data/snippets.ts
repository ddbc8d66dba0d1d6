/** Snippets of people and of projects, with comments on some, written straight into the database. */
import { type RawBuilder, sql } from 'kysely'
import { engineOf, openDatabase } from '../../src/db/database.ts'
import type { Forge } from '../forge.ts'
import { fill, member, type Size } from './people.ts'
import { sqlWords } from './sql-words.ts'

export interface SnippetsSize extends Size {
  snippets: number
}

export const largeSnippets: SnippetsSize = { users: 5_000, groups: 1_000, projects: 10_000, snippets: 100_000 }
export const smallSnippets: SnippetsSize = { users: 50, groups: 10, projects: 100, snippets: 1_000 }

/** The measured projects: one with every tenth snippet, and one whose snippet has comments. */
export interface Filled {
  project: number
  discussed: number
}

const firstProject = 1_000
const comments = 100

/** Fills the database at `location`, of a server that has started. */
export async function fillSnippets(forge: Forge, location: string, size: SnippetsSize): Promise<Filled> {
  await fill(location, size)
  const { id: project } = (await forge.call('POST', '/projects', { name: 'written', visibility: 'private' })) as { id: number }
  await forge.call('POST', `/projects/${project}/members`, { user_id: member.id, access_level: 20 })
  const db = openDatabase(location)
  try {
    const discussed = 10
    const statements = [...statementsFor(engineOf(location) === 'postgres', size, { project, discussed })]
    await db.transaction().execute(async (tx) => {
      for (const statement of statements) await statement.execute(tx)
    })
    return { project, discussed }
  } finally {
    await db.destroy()
  }
}

function* statementsFor(
  isPostgres: boolean,
  { users, projects, snippets }: SnippetsSize,
  { project, discussed }: Filled,
): Generator<RawBuilder<unknown>> {
  const { at, user, text, upTo } = sqlWords(isPostgres, users)
  const place = `case when n % 10 = 0 then ${project} when n % 10 < 4 then ${firstProject} + n % ${projects} end`
  const visibility = `case n % 3 when 0 then 'private' when 1 then 'internal' else 'public' end`
  // One of a thousand is the member's own.
  const author = `case when n % 1000 = 7 then ${member.id} else ${user('n * 7')} end`
  const content = `${text('n', 'n * 3', 'n * 5')} || ' unique' || n || ' ' || ${Array.from({ length: 8 }, (_, index) => text(`n * ${index + 7}`, `n + ${index}`)).join(" || ' ' || ")}`
  yield sql.raw(`insert into snippets
    (id, project_id, author_id, title, file_name, visibility, size, user_notes_count, created_at, updated_at)
    select n, ${place}, ${author}, ${text('n', 'n * 3')} || ' ' || n, 'file' || n || '.sh', ${visibility}, 200, 0, ${at('n')}, ${at('n')}
    from ${upTo(snippets)}`)
  yield sql.raw(`insert into snippet_files (snippet_id, position, path, content)
    select n, 0, 'file' || n || '.sh', ${content} from ${upTo(snippets)}`)
  yield sql.raw(`insert into notes
    (project_id, author_id, snippet_id, discussion_id, opens_discussion, body, system, internal, created_at, updated_at)
    select ${project}, ${user('n')}, ${discussed}, 'discussion' || n, true, ${text('n', 'n * 3')}, false, false, ${at('n')}, ${at('n')}
    from ${upTo(comments)}`)
  if (isPostgres) yield sql.raw(`select setval(pg_get_serial_sequence('snippets', 'id'), ${snippets})`)
}

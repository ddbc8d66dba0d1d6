/** Imports comments on commits from archives before version 4, which stored them separately from notes. */
import { randomBytes } from 'node:crypto'
import type { Tx } from '../../../db/database.ts'
import { unplacedOnCommit } from '../../discussion/notes/notes.ts'
import { type Line, readPages, type Unpacked } from '../archive/archive.ts'
import type { People } from './people.ts'
import { insertMany } from './restore-planning.queries.ts'

interface Restoring {
  project_id: number
  importer: { id: number }
  unpacked: Unpacked
  people: People
}

interface Words {
  relink: (text: string) => string
  noted: (text: string, created_at: string, person: number | null) => string
}

/** @param write runs a part of the import in its own transaction */
export async function restoreComments(
  { unpacked, ...restoring }: Restoring,
  words: Words,
  write: (work: (tx: Tx) => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = unpacked.tables.get('commit_comments')
  if (!file) return
  for await (const page of readPages('commit_comments', file))
    await write((tx) =>
      insertMany(
        tx,
        'notes',
        page.map((line) => rowOf(restoring, words, line)),
      ),
    )
}

function rowOf({ project_id, importer, people }: Omit<Restoring, 'unpacked'>, { relink, noted }: Words, line: Line<'commit_comments'>) {
  const { commit_oid, person, note, created_at } = line
  const position = unplacedOnCommit(line)
  return {
    project_id,
    commit_oid,
    author_id: people.userOf(person) ?? importer.id,
    discussion_id: randomBytes(20).toString('hex'),
    type: position === null ? null : 'DiffNote',
    body: noted(relink(note), created_at, person),
    original_position: position,
    position,
    created_at,
    updated_at: created_at,
  }
}

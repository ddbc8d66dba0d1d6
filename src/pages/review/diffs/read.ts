/** Reads the discussions on the changes of a merge request, the viewer's drafts, and their viewed files. */
import type { BodilessNote, DraftNote, MergeRequestVersion } from '../../../db/tables.ts'
import { draftsOf } from '../../../features/commands/draft-notes/draft-notes.ts'
import { diffNotesOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { versionPage } from '../../../features/review/versions/versions.ts'
import { versionLastSeen, viewedFiles } from '../../../features/review/viewed-files/viewed-files.ts'
import type { Html } from '../../../html/html.ts'
import { readThreads } from '../../planning/discussion/discussion.ts'
import type { Threads } from '../../planning/discussion/threads.ts'
import { proseOf } from '../../project/prose.ts'
import { type MergeRequestSeen, noteableOf } from '../merge-requests/seen.ts'
import { sentences } from './sentences.ts'

/** Limit of discussions shown here, oldest first; the overview has all. */
const maxDiscussions = 500
const maxVersions = 100

export interface Draft {
  row: DraftNote
  body: Html | null
}

export interface Talked {
  openings: BodilessNote[]
  threads: Threads
  drafts: Draft[]
  /** The viewed content, by path. */
  viewed: ReadonlyMap<string, string>
  /** Newest first. */
  versions: MergeRequestVersion[]
  /** The newest version when the viewer last wrote or marked a file here. */
  last: MergeRequestVersion | null
}

/** At most twenty-five statements, regardless of the number of notes. */
export async function readTalked(seen: MergeRequestSeen): Promise<Talked> {
  const { app, user, merge_request } = seen
  const { id } = merge_request
  const discussed = { ...seen, noteable: noteableOf(seen) }
  const openings = (await diffNotesOf(app.db, id)).slice(0, maxDiscussions)
  const threads = await readThreads(
    discussed,
    openings.map(({ discussion_id }) => discussion_id),
  )
  const rows = user ? await draftsOf(app.db, id, user.id) : []
  const bodies = await proseOf(
    app,
    seen,
    rows.map(({ body }) => body),
    sentences.tooLong,
  )
  const [viewed, last, versions] = await Promise.all([
    user ? viewedFiles(app.db, user.id, id) : new Map<string, string>(),
    user ? versionLastSeen(app.db, user.id, id) : null,
    versionPage(app.db, id, { limit: maxVersions, offset: 0 }),
  ])
  const visible = new Set(threads.threads.map(([first]) => first?.note.discussion_id))
  return {
    openings: openings.filter(({ discussion_id }) => visible.has(discussion_id)),
    threads,
    drafts: rows.map((row, index) => ({ row, body: bodies[index] ?? null })),
    viewed,
    versions: versions.rows,
    last,
  }
}

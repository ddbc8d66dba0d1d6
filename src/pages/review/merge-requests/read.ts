/** Reads what all pages of a merge request show. */
import { type DescribedMergeRequest, describeMergeRequests } from '../../../features/review/merge-requests/merge-requests.ts'
import { currentVersion } from '../../../features/review/versions/versions.ts'
import type { Framed } from './frame.ts'
import type { MergeRequestSeen } from './seen.ts'
import { readSource } from './source.ts'

export interface Read {
  /** With the current row: a push since the access check creates a new version. */
  seen: MergeRequestSeen
  framed: Framed & { version: NonNullable<Awaited<ReturnType<typeof currentVersion>>>['version'] | null }
}

/** At most ten statements, and no process unless something has been pushed. */
export async function readFrame(known: MergeRequestSeen): Promise<Read> {
  const current = await currentVersion(known.app, known.merge_request)
  const seen = { ...known, merge_request: current?.merge_request ?? known.merge_request }
  return { seen, framed: { ...(await readPeople(seen)), version: current?.version ?? null } }
}

/** Reads what the frame shows besides the version. */
export async function readPeople(seen: MergeRequestSeen): Promise<Pick<Framed, 'described' | 'source'>> {
  const [[described], source] = await Promise.all([describeMergeRequests(seen.app.db, [seen.merge_request]), readSource(seen)])
  return { described: described as DescribedMergeRequest, source }
}

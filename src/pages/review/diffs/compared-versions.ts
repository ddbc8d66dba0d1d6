/** The versions that the page of changes compares, and its URLs. */
import { type Static, type TObject, Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type DiffRefs, type Position, positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { type Interdiff, interdiffOf, versionById } from '../../../features/review/versions/versions.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { oneOfDefault } from '../../../http/parameters/schema.ts'
import { diffQuery } from '../../repository/history/diff/options.ts'

const version = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

export const changesQuery = {
  ...diffQuery,
  /** The version to show; 0 for the newest. */
  version,
  /** The version to compare it with; 0 for the target branch. */
  from: version,
  /** Between versions with different bases: whether to show what the target branch brought, too. */
  whole: oneOfDefault('0', '1'),
}

export type ChangesOptions = Static<TObject<typeof changesQuery>>

export const defaults: ChangesOptions = {
  view: 'unified',
  w: '0',
  file: 1,
  only: false,
  row: 1,
  context: 3,
  version: 0,
  from: 0,
  whole: '0',
}

export interface Compared {
  shown: MergeRequestVersion
  /** Null for the target branch. */
  before: MergeRequestVersion | null
  refs: DiffRefs
  isNewest: boolean
  /** Null where both have the same base, or everything that differs is wanted. */
  interdiff: Interdiff | null
}

/** At most two statements, and the processes of `interdiffOf`. Throws 404 for a version that the merge request doesn't have. */
export async function comparedVersions(
  app: App,
  repo: Repo,
  { id }: MergeRequest,
  newest: MergeRequestVersion,
  options: Pick<ChangesOptions, 'version' | 'from' | 'whole'>,
): Promise<Compared> {
  const find = async (wanted: number) => {
    const found = wanted === newest.id ? newest : await versionById(app.db, id, wanted)
    if (!found) throw notFound('Version')
    return found
  }
  const shown = options.version === 0 ? newest : await find(options.version)
  const before = options.from === 0 || options.from === shown.id ? null : await find(options.from)
  const isNewest = shown.id === newest.id
  if (!before) {
    const refs = { base_sha: shown.base_oid, start_sha: shown.start_oid, head_sha: shown.head_oid }
    return { shown, before, refs, isNewest, interdiff: null }
  }
  const interdiff = options.whole === '1' ? null : await interdiffOf(repo, before, shown)
  const from = interdiff?.kind === 'clean' ? interdiff.from : before.head_oid
  return { shown, before, refs: { base_sha: from, start_sha: from, head_sha: shown.head_oid }, isNewest, interdiff }
}

/** The URL of a comparison, without display options. */
export function addressOf(
  changes: string,
  { version: shown, from, whole = '0' }: Pick<ChangesOptions, 'version' | 'from'> & Partial<Pick<ChangesOptions, 'whole'>>,
): string {
  const given = Object.entries({ version: shown, from, whole: Number(whole) }).filter(([, id]) => id !== 0)
  return given.length === 0 ? changes : `${changes}?${given.map(([name, id]) => `${name}=${id}`).join('&')}`
}

/** Whether it is between these commits. Clients send the base instead of the tip of the target. */
export function isAt(position: Position, refs: DiffRefs): boolean {
  return position.base_sha === refs.base_sha && position.head_sha === refs.head_sha
}

/** The position of a note in a comparison: the current one, or the original one; null if it isn't in this comparison. */
export function placeIn(
  { position, original_position }: { position: string | null; original_position?: string | null },
  refs: DiffRefs,
): Position | null {
  const places = [position, original_position ?? null].flatMap((text) => (text === null ? [] : [positionOf(text)]))
  return places.find((place) => isAt(place, refs)) ?? null
}

/** The line below which a note is shown: `R12`, `L5`; null for one on the file as a whole. */
export function lineKey(place: Position): string | null {
  if (place.position_type !== 'text') return null
  return place.new_line === null ? `L${place.old_line}` : `R${place.new_line}`
}

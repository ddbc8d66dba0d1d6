/** The versions that the page of changes compares, and its URLs. */
import { type Static, type TObject, Type } from 'typebox'
import type { App } from '../../../app.ts'
import type { MergeRequest, MergeRequestVersion } from '../../../db/tables.ts'
import { notFound } from '../../../failure.ts'
import { type DiffRefs, type Position, positionOf } from '../../../features/review/diff-notes/diff-notes.ts'
import { versionById } from '../../../features/review/versions/versions.ts'
import { diffQuery } from '../../repository/history/diff/options.ts'

const version = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 })

export const changesQuery = {
  ...diffQuery,
  /** The version to show; 0 for the newest. */
  version,
  /** The version to compare it with; 0 for the target branch. */
  from: version,
}

export type ChangesOptions = Static<TObject<typeof changesQuery>>

export const defaults: ChangesOptions = { view: 'unified', w: '0', file: 1, only: false, row: 1, context: 3, version: 0, from: 0 }

export interface Compared {
  shown: MergeRequestVersion
  /** Null for the target branch. */
  before: MergeRequestVersion | null
  refs: DiffRefs
  isNewest: boolean
}

/** At most two statements. Throws 404 for a version that the merge request doesn't have. */
export async function comparedVersions(
  app: App,
  { id }: MergeRequest,
  newest: MergeRequestVersion,
  options: Pick<ChangesOptions, 'version' | 'from'>,
): Promise<Compared> {
  const find = async (wanted: number) => {
    const found = wanted === newest.id ? newest : await versionById(app.db, id, wanted)
    if (!found) throw notFound('Version')
    return found
  }
  const shown = options.version === 0 ? newest : await find(options.version)
  const before = options.from === 0 || options.from === shown.id ? null : await find(options.from)
  const base = before ? before.head_oid : shown.base_oid
  const refs = { base_sha: base, start_sha: before ? before.head_oid : shown.start_oid, head_sha: shown.head_oid }
  return { shown, before, refs, isNewest: shown.id === newest.id }
}

/** The URL of a comparison, without display options. */
export function addressOf(changes: string, { version: shown, from }: Pick<ChangesOptions, 'version' | 'from'>): string {
  const given = Object.entries({ version: shown, from }).filter(([, id]) => id !== 0)
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

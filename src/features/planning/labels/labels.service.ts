/** Rules of labels: names are unique in a project and the groups above it; a group's labels are changed in the group. */
import type { App } from '../../../app.ts'
import { type Db, inTransaction, isUniqueViolation, oneAtATime, type Tx } from '../../../db/database.ts'
import type { Label, User } from '../../../db/tables.ts'
import { Failure, invalid, notFound } from '../../../failure.ts'
import type { Place } from '../../../http/declare/places.ts'
import { assertValid } from '../../../validation.ts'
import {
  countIssues,
  countOpenMergeRequests,
  deleteLabel,
  insertLabel,
  type LabelPlace,
  labelById,
  labelByTitle,
  prioritiesOf,
  setPriority,
  setSubscription,
  subscribedAmong,
  updateLabel,
} from './labels.queries.ts'
import { descriptionError, parseColor, titleError } from './labels.rules.ts'

export interface LabelFields {
  title: string
  color: string
  description?: string | null | undefined
  /** In the project; null removes it. */
  priority?: number | null | undefined
}

export type LabelChange = { [F in keyof LabelFields]?: LabelFields[F] | undefined }

/** A label with what a viewer sees of it in a place. */
export interface SeenLabel {
  label: Label
  issues: { opened: number; closed: number }
  openMergeRequests: number
  isSubscribed: boolean
  priority: number | null
}

/** Creates a label. Throws 400 for an invalid field, 409 if the place or a group above it already has one with this name. */
export async function createLabel(app: App, place: Place, fields: LabelFields): Promise<Label> {
  const at = labelPlace(place)
  const values = acceptFields({ title: fields.title, color: fields.color, description: fields.description ?? null })
  return inTransaction(app.db, async (tx) => {
    if (await labelByTitle(tx, at, values.title, 'inherited')) throw taken()
    const label = await insertLabel(tx, at, values).catch((error) => {
      throw isUniqueViolation(error) ? taken(error) : error
    })
    if (fields.priority !== undefined) await prioritize(tx, at, label.id, fields.priority)
    return label
  })
}

/** Changes the sent fields. Throws 400 for an invalid or taken value, 404 if the label was deleted meanwhile. */
export async function changeLabel(app: App, place: Place, label: Label, change: LabelChange): Promise<Label> {
  const at = labelPlace(place)
  const { title = label.title, color = label.color, description = label.description, priority } = change
  const values = acceptFields({ title, color, description })
  return inTransaction(app.db, async (tx) => {
    const changed = await updateLabel(tx, label.id, values).catch((error) => {
      throw isUniqueViolation(error) ? invalid({ title: ['has already been taken'] }, error) : error
    })
    if (!changed) throw notFound('Label')
    if (priority !== undefined) await prioritize(tx, at, label.id, priority)
    return changed
  })
}

async function prioritize(tx: Tx, place: LabelPlace, labelId: number, priority: number | null): Promise<void> {
  if ('project_id' in place) await setPriority(tx, place.project_id, labelId, priority)
}

function acceptFields(sent: { title: string; color: string; description: string | null }): {
  title: string
  color: string
  description: string | null
} {
  const title = sent.title.trim()
  const color = parseColor(sent.color)
  const description = sent.description === '' ? null : sent.description
  assertValid({
    title: titleError(title),
    color: color === null ? 'must be a valid color code' : null,
    description: descriptionError(description),
  })
  return { title, color: color ?? '', description }
}

function taken(cause?: unknown): Failure {
  return new Failure('conflict', 'Label already exists', { cause })
}

/** Finds a label by id or title, also one of a group above. Throws 404. */
export async function findLabel(db: Db, place: Place, idOrTitle: string): Promise<Label> {
  // PostgreSQL rejects text with a NUL.
  if (idOrTitle.includes('\0')) throw notFound('Label')
  const at = labelPlace(place)
  const id = /^[1-9]\d{0,15}$/.test(idOrTitle) ? Number(idOrTitle) : null
  const found = (id !== null && (await labelById(db, at, id))) || (await labelByTitle(db, at, idOrTitle, 'inherited'))
  if (!found) throw notFound('Label')
  return found
}

/** As `findLabel`, for a change or deletion: a group's label can only be changed in the group. Throws 404 for others. */
export async function findOwnLabel(db: Db, place: Place, idOrTitle: string): Promise<Label> {
  const label = await findLabel(db, place, idOrTitle)
  const isOwn = place.kind === 'project' ? label.project_id === place.row.id : label.namespace_id === place.row.id
  if (isOwn) return label
  // If a group and the project have labels with the same name, the project's own would have been found.
  throw notFound('Label')
}

/** Each label with what the viewer sees of it: four statements, regardless of their number. */
export async function describeLabels(app: App, place: Place, viewer: User | null, labels: Label[]): Promise<SeenLabel[]> {
  if (labels.length === 0) return []
  const at = labelPlace(place)
  const ids = labels.map(({ id }) => id)
  const projectId = 'project_id' in at ? at.project_id : null
  const [counts, requests, subscribed, priorities] = await Promise.all([
    countIssues(app.db, at, viewer, ids),
    countOpenMergeRequests(app.db, at, viewer, ids),
    viewer ? subscribedAmong(app.db, viewer.id, projectId, ids) : new Set<number>(),
    projectId === null ? new Map<number, number>() : prioritiesOf(app.db, projectId, ids),
  ])
  return labels.map((label) => ({
    label,
    issues: counts.get(label.id) ?? { opened: 0, closed: 0 },
    openMergeRequests: requests.get(label.id) ?? 0,
    isSubscribed: subscribed.has(label.id),
    priority: priorities.get(label.id) ?? null,
  }))
}

/** Throws 304 if nothing changes. */
export async function subscribeToLabel(app: App, place: Place, user: User, label: Label, subscribed: boolean): Promise<void> {
  const projectId = place.kind === 'project' ? place.row.id : null
  const hasChanged = await inTransaction(app.db, async (tx) => {
    // No unique index covers it, so concurrent requests could each add a row.
    await oneAtATime(tx, `subscription ${user.id} ${label.id}`)
    return setSubscription(tx, user.id, projectId, label.id, subscribed)
  })
  if (!hasChanged) throw new Failure('not_modified', '304 Not Modified')
}

export async function removeLabel(app: App, label: Label): Promise<void> {
  await deleteLabel(app.db, label.id)
}

export function labelPlace({ kind, row }: Place): LabelPlace {
  return kind === 'project' ? { project_id: row.id, below: row.namespace_id } : { namespace_id: row.id }
}

/** Labels as named by issues: by title or id, and created if necessary. */
import type { LocatedProject } from '../../../access/find.ts'
import { may } from '../../../access/permissions.ts'
import type { Db, Tx } from '../../../db/database.ts'
import type { Label } from '../../../db/tables.ts'
import { invalid } from '../../../failure.ts'
import type { Place } from '../../../http/declare/places.ts'
import { insertLabels, labelsWithIds, labelsWithTitles } from './labels.queries.ts'
import { titleError } from './labels.rules.ts'
import { labelPlace } from './labels.service.ts'

/** Maximum number of labels per request. */
const maxNamed = 500

const colorOfNew = '#428BCA'

/** Parses `a, b` to distinct titles without surrounding spaces. */
export function titlesIn(list: string | string[]): string[] {
  const titles = (Array.isArray(list) ? list : [list]).flatMap((part) => part.split(','))
  return [...new Set(titles.map((title) => title.trim()).filter((title) => title !== ''))]
}

/** Labels of the project and the groups above it with these titles, in the order of the titles; unknown ones are skipped. */
export async function findLabelsByTitles(db: Db, project: LocatedProject, titles: string[]): Promise<Label[]> {
  const wanted = titles.filter((title) => titleError(title) === null)
  const found = await labelsWithTitles(db, placeOf(project), wanted.slice(0, maxNamed))
  return wanted.flatMap((title) => found.get(title) ?? [])
}

/** Labels of the project and the groups above it with these ids; other ids are skipped. */
export function findLabelsByIds(db: Db, project: LocatedProject, ids: number[]): Promise<Label[]> {
  return labelsWithIds(db, placeOf(project), ids.slice(0, maxNamed))
}

/** Labels for which boards of the place can have lists: of a project and the groups above it, or of a group and those above it. */
export function labelsUsableIn(db: Db, place: Place, ids: number[]): Promise<Label[]> {
  return labelsWithIds(db, labelPlace(place), ids)
}

/**
 * As `findLabelsByTitles`, but creates missing labels in the project for reporters, and skips them for others. Throws 400 for an invalid
 * title, and for more than 500.
 */
export async function findOrCreateLabels(
  tx: Tx,
  { project, level }: { project: LocatedProject; level: number },
  titles: string[],
): Promise<Label[]> {
  if (titles.length > maxNamed) throw invalid({ labels: [`are too many (maximum is ${maxNamed})`] })
  const wrong = titles.map(titleError).find((error) => error !== null)
  if (wrong) throw invalid({ labels: [wrong] })
  const found = await labelsWithTitles(tx, placeOf(project), titles)
  const unknown = titles.filter((title) => !found.has(title))
  if (unknown.length === 0 || !may('manage_labels', level)) return titles.flatMap((title) => found.get(title) ?? [])
  await insertLabels(tx, project.id, unknown, colorOfNew)
  const created = await labelsWithTitles(tx, placeOf(project), unknown)
  return titles.flatMap((title) => found.get(title) ?? created.get(title) ?? [])
}

function placeOf({ id, namespace_id }: LocatedProject) {
  return { project_id: id, below: namespace_id }
}

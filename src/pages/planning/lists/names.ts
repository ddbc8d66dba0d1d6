/** Fields for names and milestones of a project, in the forms of issues and merge requests. */

import { Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import type { App } from '../../../app.ts'
import { invalid } from '../../../failure.ts'
import { findLabelsByTitles, titlesIn } from '../../../features/planning/labels/labels.ts'
import { listMilestones, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, checkbox, field } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'

/** Active milestones, newest first. One or two statements. */
export async function milestonesFor(app: App, { project }: Pick<ProjectGranted, 'project'>): Promise<PlacedMilestone[]> {
  const place = { project_id: project.id, below: project.namespace_id }
  return (await listMilestones(app.db, place, { state: 'active', inherited: true }, { limit: maxMilestones, offset: 0 })).rows
}

const maxMilestones = 100

/** Includes the current milestone, even if it is closed or older. */
export function milestoneChoices(milestones: readonly PlacedMilestone[], current: PlacedMilestone | null): Choice[] {
  const isListed = current === null || milestones.some(({ id }) => id === current.id)
  const all = isListed ? milestones : [current, ...milestones]
  return [['0', t`No milestone`], ...all.map(({ id, title }): Choice => [String(id), title])]
}

/** For forms with names of labels: whether to create those that don't exist yet. */
export const newLabelsField = { create_labels: Type.Optional(Type.Boolean()) }

/**
 * Rejects names of labels that don't exist, unless the form asks for new ones: it is easy to submit a half-typed name. One statement if
 * there are names.
 */
export async function refuseNewLabels(
  { db }: App,
  project: LocatedProject,
  sent: Readonly<Record<string, string | undefined>>,
  mayCreate = false,
): Promise<void> {
  for (const [name, text = ''] of Object.entries(sent)) {
    const titles = titlesIn(text)
    if (mayCreate || titles.length === 0) continue
    const known = new Set((await findLabelsByTitles(db, project, titles)).map(({ title }) => title))
    const unknown = titles.filter((title) => !known.has(title))
    if (unknown.length > 0) throw invalid({ [name]: [sentences.newLabels(unknown)] })
  }
}

export interface Names {
  /** The current value of the field. */
  value?: string
  hint?: string
  id?: string
  /** For a single name: a choice replaces the previous one. */
  isSingle?: boolean
}

/** A field for names with completions. If new labels were rejected, a checkbox offers to create them. */
export function namesField(
  label: string,
  name: string,
  typed: Typed,
  key: '@' | '~',
  { full_path }: { full_path: string },
  { isSingle = false, ...options }: Names = {},
): Html {
  const asks = key === '~' && (typed.errors.of[name] !== undefined || typed.values.create_labels === 'true')
  return html`
    <name-picker key="${key}" source="/${full_path}/-/completions"${isSingle && html` single`}>${field(label, name, typed, {
      autocomplete: 'off',
      ...options,
    })}</name-picker>
    ${asks && checkbox(t`Create new labels`, 'create_labels', typed, { value: 'false', id: options.id })}
  `
}

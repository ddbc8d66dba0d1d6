/** Fields for names and milestones of a project, in the forms of issues and of merge requests. */
import type { App } from '../../../app.ts'
import { listMilestones, type PlacedMilestone } from '../../../features/planning/milestones/milestones.ts'
import { type Html, html } from '../../../html/html.ts'
import type { ProjectGranted } from '../../../http/declare/rules.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, field } from '../../frame/forms.ts'

/** Milestones to choose from: those that are active, the newest first. One statement or two. */
export async function milestonesFor(app: App, { project }: Pick<ProjectGranted, 'project'>): Promise<PlacedMilestone[]> {
  const place = { project_id: project.id, below: project.namespace_id }
  return (await listMilestones(app.db, place, { state: 'active', inherited: true }, { limit: maxMilestones, offset: 0 })).rows
}

const maxMilestones = 100

/** Also the one that is set, where it is closed or older. */
export function milestoneChoices(milestones: readonly PlacedMilestone[], current: PlacedMilestone | null): Choice[] {
  const isListed = current === null || milestones.some(({ id }) => id === current.id)
  const all = isListed ? milestones : [current, ...milestones]
  return [['0', 'No milestone'], ...all.map(({ id, title }): Choice => [String(id), title])]
}

export interface Names {
  /** Of the field: what it holds already. */
  value?: string
  hint?: string
  id?: string
}

/** A field for names, which are completed. */
export function namesField(
  label: string,
  name: string,
  typed: Typed,
  key: '@' | '~',
  { full_path }: { full_path: string },
  options: Names = {},
): Html {
  return html`
    <name-picker key="${key}" source="/${full_path}/-/completions">${field(label, name, typed, {
      autocomplete: 'off',
      ...options,
    })}</name-picker>
  `
}

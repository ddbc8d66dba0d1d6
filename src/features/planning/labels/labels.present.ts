/** A label as JSON. */
import type { Static } from 'typebox'
import type { Label } from '../../../db/tables.ts'
import { textColorOn } from './labels.rules.ts'
import type { LabelBrief, Label as LabelSchema } from './labels.schema.ts'
import type { SeenLabel } from './labels.service.ts'

export function presentLabelBrief({
  id,
  title,
  color,
  description,
}: Pick<Label, 'id' | 'title' | 'color' | 'description'>): Static<typeof LabelBrief> {
  return { id, name: title, color, description }
}

export function presentLabel({ label, issues, openMergeRequests, isSubscribed, priority }: SeenLabel): Static<typeof LabelSchema> {
  const { id, title, color, description, project_id } = label
  return {
    id,
    name: title,
    color,
    description,
    text_color: textColorOn(color),
    open_issues_count: issues.opened,
    closed_issues_count: issues.closed,
    open_merge_requests_count: openMergeRequests,
    subscribed: isSubscribed,
    priority,
    is_project_label: project_id !== null,
  }
}

/** Labels as JSON (spec 2.17; the reference where the spec is silent). */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'

/** The form that is embedded in other objects. */
export const LabelBrief = resource('LabelBrief', {
  id: Type.Integer(),
  name: Type.String(),
  color: Type.String({ description: '# and six hexadecimal digits' }),
  description: nullable(Type.String()),
})

export const Label = resource('Label', {
  ...LabelBrief.properties,
  text_color: Type.String({ description: 'Colour of text on the label' }),
  open_issues_count: Type.Integer({ description: 'Open issues with it that the caller can see' }),
  closed_issues_count: Type.Integer(),
  open_merge_requests_count: Type.Integer(),
  subscribed: Type.Boolean({ description: 'Whether the caller is subscribed' }),
  priority: nullable(Type.Integer({ description: 'In the project; 0 comes first' })),
  is_project_label: Type.Boolean(),
})

/** The settings of the queue of merge requests, as a section of those of merge requests. */

import type { Project } from '../../../db/tables.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { checkbox, field, form, untouched } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'

const asText = (value: boolean): 'true' | 'false' => (value ? 'true' : 'false')

export function trainSettings(project: Project & { full_path: string }, token: Html): Html {
  const { merge_trains_enabled, merge_trains_skip_train_allowed, max_pipelines_per_merge_train, merge_train_batch_size } = project
  const fields = html`
    ${checkbox(sentences.enabled, 'merge_trains_enabled', untouched, { value: asText(merge_trains_enabled), hint: sentences.enabledHint })}
    ${checkbox(sentences.skipping, 'merge_trains_skip_train_allowed', untouched, {
      value: asText(merge_trains_skip_train_allowed),
      hint: sentences.skippingHint,
    })}
    ${field(sentences.pipelines, 'max_pipelines_per_merge_train', untouched, {
      type: 'number',
      min: 1,
      max: 20,
      value: String(max_pipelines_per_merge_train),
      required: true,
    })}
    ${field(sentences.together, 'merge_train_batch_size', untouched, {
      type: 'number',
      min: 1,
      max: 32,
      value: String(merge_train_batch_size),
      required: true,
      hint: sentences.togetherHint,
    })}
  `
  return html`
    <section class="setting" aria-labelledby="merge-queue">
      <h2 id="merge-queue">Merge queue</h2>
      ${form({ action: `/${project.full_path}/settings/merge_trains`, token, submit: t`Save` }, fields)}
    </section>
  `
}

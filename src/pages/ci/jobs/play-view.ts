/** The form that starts a manual or delayed job with variables. */

import { jobAddress } from '../../../addresses/ci.ts'
import type { CommitStatus } from '../../../db/tables.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { form, problemsOf } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import type { CiVisit } from '../seen.ts'
import { sentences } from '../sentences.ts'
import { variablesField } from '../variables-field.ts'

export function playView({ project, level, user, token, job }: CiVisit & { job: CommitStatus }, typed: Typed): View {
  const address = jobAddress(project, job.id)
  const fields = html`<p class="hint">${sentences.playVariables}</p>${problemsOf(typed.errors, ['variables'])}${variablesField(typed)}`
  return projectView(
    { project, level, user, tab: 'pipelines', showsCode: false },
    {
      title: t`Run ${job.name}`,
      main: html`
        <div class="form-page">
          <h1>Run ${isolated(job.name)}</h1>
          <p><a href="${address}">Job #${job.id}</a></p>
          ${form({ action: `${address}/play`, token, submit: t`Run the job` }, fields)}
        </div>
      `,
    },
  )
}

/** The form that starts a pipeline for a branch or tag, with variables and inputs. */

import { Type } from 'typebox'
import { pipelineAddress, pipelinesAddress } from '../../../addresses/ci.ts'
import { assertKeys, mayRunOn, refusal, runPipeline } from '../../../features/ci/pipelines/pipelines.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { field, form, problemsOf, untouched } from '../../frame/forms.ts'
import { projectView } from '../../project/project-view.ts'
import { recentNames } from '../../repository/refs/parts.ts'
import { inputsField, readInputLines } from '../inputs-field.ts'
import { type CiVisit, runners } from '../seen.ts'
import { sentences } from '../sentences.ts'
import { readVariables, variablesField } from '../variables-field.ts'

export const newPipelinePages = [
  page('GET /:project/pipelines/new', {
    access: runners,
    query: { ref: Type.String({ default: '', maxLength: 1_024 }) },
    show: ({ sent, ...visit }) => newView(visit, untouched, sent.ref),
  }),
  action('POST /:project/pipelines', {
    access: runners,
    form: {
      ref: Type.String({ maxLength: 1_024 }),
      variables: Type.String({ default: '', maxLength: 200_000 }),
      inputs: Type.String({ default: '', maxLength: 200_000 }),
    },
    async act({ app, user, project, access, sent }) {
      const ref = sent.ref.trim()
      const variables = readVariables(sent.variables)
      assertKeys(variables)
      const inputs = readInputLines(sent.inputs)
      if (!(await mayRunOn(app, access, { ref, tag: false }))) throw refusal([sentences.protectedRef])
      const pipeline = await runPipeline(app, { project, user, ref, variables, inputs, source: 'web' })
      return { redirect: pipelineAddress(project, pipeline.id), notice: sentences.started(pipeline.id) }
    },
    again: (visit, typed) => newView(visit, typed, ''),
  }),
]

async function newView(visit: CiVisit, typed: Typed, ref: string): Promise<View> {
  const { project, level, user, repo, token } = visit
  const fields = html`${problemsOf(typed.errors, ['ref', 'variables', 'inputs'])}${field(t`Branch or tag`, 'ref', typed, {
    value: ref || (project.default_branch ?? ''),
    required: true,
    list: await recentNames(repo, 'heads'),
  })}${variablesField(typed)}${inputsField(typed)}`
  return projectView(
    { project, level, user, tab: 'pipelines', showsCode: false },
    {
      title: t`Run pipeline`,
      main: html`<h1>Run pipeline</h1>${form({ action: pipelinesAddress(project), token, submit: t`Run pipeline` }, fields)}`,
    },
  )
}

/** Validates the CI file and shows the pipeline that a push of it would create. */

import { Type } from 'typebox'
import { may } from '../../../access/permissions.ts'
import { addressAt } from '../../../addresses/repository.ts'
import { fileAt } from '../../../features/ci/includes/includes.ts'
import { type Linted, lintIn } from '../../../features/ci/lint/lint.ts'
import { branchRevision } from '../../../git/refs/names.ts'
import { resolveCommit } from '../../../git/refs/resolve.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { project as projectOf, using } from '../../../http/declare/rules.ts'
import { action, page, type View } from '../../frame/declaration.ts'
import { form, textArea, untouched } from '../../frame/forms.ts'
import { emptyState } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { graphOf } from '../pipelines/graph.ts'
import type { CiVisit } from '../seen.ts'
import { placeSentences as say } from '../sentences.ts'

const access = using('builds', projectOf('code'))
const maxText_chars = 1024 * 1024

export const ciEditorPages = [
  page('GET /:project/-/ci/editor', { access, show: (visit) => editorView(visit, null) }),
  action('POST /:project/-/ci/editor', {
    access: using('builds', projectOf('lint_with_project')),
    form: { content: Type.String({ maxLength: maxText_chars }) },
    act: ({ sent, ...visit }) => editorView(visit, sent.content),
  }),
]

async function editorView(visit: CiVisit, sent: string | null): Promise<View> {
  const { app, project, level, user, repo, token } = visit
  const branch = project.default_branch
  const commit = branch === null ? null : await resolveCommit(repo, `refs/heads/${branch}`)
  const path = project.ci_config_path || '.gitlab-ci.yml'
  const text = sent ?? (commit ? await fileAt(repo, commit, path) : null)
  const linted =
    commit && text !== null ? await lintIn(app, { project, repo, commit }, user, text, { ref: branch ?? '', tag: false }) : null
  const mayEdit = may('push_code', level)
  const mayCheck = may('lint_with_project', level)
  const edit =
    branch !== null &&
    mayEdit &&
    html`
      <p>
        <a
          class="button"
          href="${addressAt(project.full_path, text === null ? 'new' : 'edit', branchRevision(branch), text === null ? '' : path)}"
        >${text === null ? t`Create it` : t`Edit and commit it`}</a>
      </p>
    `
  const fields = html`<p class="hint">${say.editor}</p>${textArea(t`CI file`, 'content', untouched, { value: text ?? '', rows: 18 })}`
  return projectView(
    { project, level, user, tab: 'editor' },
    {
      title: t`CI file`,
      main: html`
        <div class="heading">
          <h1><code>${path}</code></h1>
          <div class="actions">${edit}</div>
        </div>
        ${linted ? resultOf(linted) : emptyState(say.noFile)}
        ${
          mayCheck
            ? html`<div class="ci-file">${form({ action: `/${project.full_path}/-/ci/editor`, token, submit: t`Check` }, fields)}</div>`
            : text !== null && html`<pre class="message">${text}</pre>`
        }
      `,
    },
  )
}

function resultOf({ errors, warnings, jobs, includes }: Linted): Html {
  const list = (sentences: readonly string[]) => html`<ul>${sentences.map((sentence) => html`<li>${sentence}</li>`)}</ul>`
  const drawn = jobs.map(({ name, stage, needs, when }) => ({
    name,
    stage,
    needs: needs?.map((need) => need.name) ?? null,
    content: html`
      <div class="job-box" title="${name}">
        <bdi class="job-name">${name}</bdi>${when !== 'on_success' && html` <span class="tag">${when}</span>`}
      </div>
    `,
  }))
  return html`
    ${
      errors.length > 0
        ? html`
          <div class="problems" role="alert">
            <p><b>${say.invalid}</b></p>
            ${list(errors)}
          </div>
        `
        : html`<p class="notice">${say.valid}</p>`
    }
    ${warnings.length > 0 && html`<div class="hint">${list(warnings)}</div>`}
    ${drawn.length > 0 && graphOf(drawn, () => null)}${
      includes.length > 0 && html`<h2>Includes</h2>${list(includes.map(({ kind, location }) => `${kind}: ${location}`))}`
    }
  `
}

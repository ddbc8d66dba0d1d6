/** The issues of a project. */
import { project, using } from '../../../http/rules.ts'
import { page } from '../../frame/declaration.ts'
import { html } from '../../frame/html.ts'
import { emptyState } from '../../frame/parts.ts'
import { projectView } from '../../project/project-view.ts'
import { sentences } from './sentences.ts'

export const issueListPages = [
  page('GET /:project/issues', {
    access: using('issues', project('visible')),
    show: ({ project, level, user }) =>
      projectView(
        { project, level, user, tab: 'issues', showsCode: false },
        { title: 'Issues', main: html`<h1>Issues</h1>${emptyState(sentences.none)}` },
      ),
  }),
]

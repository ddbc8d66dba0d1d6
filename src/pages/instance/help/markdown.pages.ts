/** Markdown syntax supported here: source and result. */

import { renderProse } from '../../../features/instance/markdown/markdown.ts'
import { Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { markdownHelp } from './sentences.ts'

/** Each is rendered by the same program as texts of users. */
const examples = (): ReadonlyArray<readonly [label: string, text: string]> => [
  [t`Emphasis`, '*slanted*, **strong**, ~~deleted~~, `code`'],
  [t`Links`, '[a page](https://example.com) or https://example.com'],
  [t`Lists`, '- one\n- two\n  1. first\n  2. second'],
  [t`Quotes`, '> Somebody said this.'],
  [t`Code`, '```js\nconst answer = 42\n```'],
  [t`Tables`, '| name | number |\n| --- | ---: |\n| one | 1 |'],
  [t`Lines`, 'above\n\n---\n\nbelow'],
]

export const markdownPages = [
  page('GET /help/user/markdown', {
    access: anyone(),
    beforeTerms: true,
    async show() {
      const rendered = await renderProse(
        examples()
          .map(([, text]) => text)
          .join('\n\n<hr><hr>\n\n'),
      )
      const parts = rendered.split(/<hr\s*\/?>\s*<hr\s*\/?>/)
      const shown = examples().map(
        ([label, text], index) =>
          html`<h2>${label}</h2><div class="example"><pre>${text}</pre><div class="prose">${new Html(parts[index] ?? '')}</div></div>`,
      )
      return {
        title: t`Markdown`,
        main: html`<div class="page-form"><h1>Markdown</h1><p>${markdownHelp()}</p>${shown}<p><a href="/help">Help</a></p></div>`,
      }
    },
  }),
]

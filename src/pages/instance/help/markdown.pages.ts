/** Markdown syntax supported here: source and result. */
import { renderProse } from '../../../features/instance/markdown/markdown.ts'
import { Html, html } from '../../../html/html.ts'
import { anyone } from '../../../http/declare/rules.ts'
import { page } from '../../frame/declaration.ts'
import { markdownHelp } from './sentences.ts'

/** Each is rendered by the same program as texts of users. */
const examples: ReadonlyArray<readonly [label: string, text: string]> = [
  ['Emphasis', '*slanted*, **strong**, ~~deleted~~, `code`'],
  ['Links', '[a page](https://example.com) or https://example.com'],
  ['Lists', '- one\n- two\n  1. first\n  2. second'],
  ['Quotes', '> Somebody said this.'],
  ['Code', '```js\nconst answer = 42\n```'],
  ['Tables', '| name | number |\n| --- | ---: |\n| one | 1 |'],
  ['Lines', 'above\n\n---\n\nbelow'],
]

export const markdownPages = [
  page('GET /help/user/markdown', {
    access: anyone(),
    beforeTerms: true,
    async show() {
      const rendered = await renderProse(examples.map(([, text]) => text).join('\n\n<hr><hr>\n\n'))
      const parts = rendered.split(/<hr\s*\/?>\s*<hr\s*\/?>/)
      const shown = examples.map(
        ([label, text], index) =>
          html`<h2>${label}</h2><div class="example"><pre>${text}</pre><div class="prose">${new Html(parts[index] ?? '')}</div></div>`,
      )
      return {
        title: 'Markdown',
        main: html`<div class="page-form"><h1>Markdown</h1><p>${markdownHelp}</p>${shown}<p><a href="/help">Help</a></p></div>`,
      }
    },
  }),
]

/** The editor of files: CodeMirror in place of the text field, which keeps the text for the form. */

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching, defaultHighlightStyle, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { languageFor } from './lib/editor-languages.ts'
import { t } from './lib/words.ts'

/** The colors of highlighted code (styles/code.css). */
const colours = HighlightStyle.define([
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)' },
  { tag: [tags.keyword, tags.tagName, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.function(tags.variableName), tags.heading, tags.definition(tags.variableName)], color: 'var(--code-title)' },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name)], color: 'var(--code-type)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--code-name)' },
  { tag: tags.strong, fontWeight: 'bold' },
  { tag: tags.emphasis, fontStyle: 'italic' },
])

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--ground)', border: '1px solid var(--line)', borderRadius: '4px' },
  '&.cm-focused': { outline: '2px solid var(--link)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: '0.8125rem', minHeight: '20rem', maxHeight: '75vh' },
  '.cm-gutters': { color: 'var(--quiet)', backgroundColor: 'var(--raised)', borderColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--raised) 60%, transparent)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-selectionBackground, &.cm-focused .cm-selectionBackground': { backgroundColor: 'var(--target) !important' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
})

class CodeEditor extends HTMLElement {
  #view: EditorView | null = null

  connectedCallback(): void {
    const area = this.querySelector('textarea')
    if (!area || this.#view) return
    const label = this.querySelector('label')
    const send = () => {
      area.form?.requestSubmit()
      return true
    }
    const extensions: Extension[] = [
      keymap.of([{ key: 'Mod-Enter', run: send }, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
      // After Escape, Tab leaves the editor, for users without a mouse.
      keymap.of([indentWithTab]),
      lineNumbers(),
      history(),
      drawSelection(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      indentOnInput(),
      bracketMatching(),
      indentUnit.of(indentOf(area.value)),
      syntaxHighlighting(colours),
      syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
      languageFor(this.dataset.path ?? ''),
      theme,
      // Elements that scroll must be focusable.
      EditorView.contentAttributes.of({ 'aria-label': label?.textContent ?? t`Content`, tabindex: '0' }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (!docChanged) return
        area.value = state.doc.toString()
        area.dispatchEvent(new Event('input', { bubbles: true }))
      }),
    ]
    // In a shadow tree, its styles are adopted style sheets; elsewhere it would add a style element, which the policy of our pages forbids.
    const host = document.createElement('div')
    const root = host.attachShadow({ mode: 'open' })
    // Typing must not trigger keyboard shortcuts: outside of the shadow tree, the target of the event is this element, which is not a
    // field.
    host.addEventListener('keydown', (event) => {
      if (!event.ctrlKey && !event.metaKey && event.key !== 'Escape') event.stopPropagation()
    })
    this.append(host)
    this.#view = new EditorView({ state: EditorState.create({ doc: area.value, extensions }), parent: root, root })
    area.hidden = true
  }

  disconnectedCallback(): void {
    this.#view?.destroy()
    this.#view = null
  }
}

/** The indentation of the file: tabs, or the width of its first indented line. */
function indentOf(text: string): string {
  const [, first = ''] = /^([ \t]+)\S/m.exec(text) ?? []
  if (first.startsWith('\t')) return '\t'
  return ' '.repeat(Math.min(8, Math.max(2, first.length)))
}

customElements.define('code-editor', CodeEditor)

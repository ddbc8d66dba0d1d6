/** The languages of the editor, by the name of the file. */
import { StreamLanguage, type StreamParser } from '@codemirror/language'
import { c, cpp, csharp, java, kotlin } from '@codemirror/legacy-modes/mode/clike'
import { css, less, sCSS } from '@codemirror/legacy-modes/mode/css'
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile'
import { go } from '@codemirror/legacy-modes/mode/go'
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript'
import { lua } from '@codemirror/legacy-modes/mode/lua'
import { properties } from '@codemirror/legacy-modes/mode/properties'
import { python } from '@codemirror/legacy-modes/mode/python'
import { ruby } from '@codemirror/legacy-modes/mode/ruby'
import { rust } from '@codemirror/legacy-modes/mode/rust'
import { shell } from '@codemirror/legacy-modes/mode/shell'
import { standardSQL } from '@codemirror/legacy-modes/mode/sql'
import { toml } from '@codemirror/legacy-modes/mode/toml'
import { html, xml } from '@codemirror/legacy-modes/mode/xml'
import { yaml } from '@codemirror/legacy-modes/mode/yaml'
import type { Extension } from '@codemirror/state'

/** Small modes: with full grammars, the editor would be twice as large. */
const modes: Record<string, StreamParser<unknown>> = {
  bash: shell,
  c,
  cc: cpp,
  cjs: javascript,
  cpp,
  cs: csharp,
  css,
  dockerfile: dockerFile,
  go,
  h: c,
  hpp: cpp,
  htm: html,
  html,
  ini: properties,
  java,
  js: javascript,
  json,
  jsx: javascript,
  kt: kotlin,
  less,
  lua,
  mjs: javascript,
  properties,
  py: python,
  rb: ruby,
  rs: rust,
  scss: sCSS,
  sh: shell,
  sql: standardSQL,
  svg: xml,
  toml,
  ts: typescript,
  tsx: typescript,
  xml,
  yaml,
  yml: yaml,
}

/** Empty for a name whose language isn't supported. */
export function languageFor(path: string): Extension {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  const mode = Object.hasOwn(modes, ending) ? modes[ending] : undefined
  return mode ? StreamLanguage.define(mode) : []
}

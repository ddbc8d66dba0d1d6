/** Release notes as HTML. */
import type { App } from '../../../app.ts'
import type { Reader } from '../../../features/discussion/references/references.ts'
import type { Html } from '../../../html/html.ts'
import { proseOf } from '../../project/prose.ts'
import { releaseSentences } from './sentences.ts'

/** In order; null for releases without a text. */
export function renderNotes(app: App, reader: Reader, texts: ReadonlyArray<string | null>): Promise<Array<Html | null>> {
  return proseOf(app, reader, texts, releaseSentences.tooLong)
}

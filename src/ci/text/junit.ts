/** Parses untrusted JUnit reports (XML) in one pass, with limits and without custom entities. Pure: it runs in the sandbox. */
import { type Handler, Parser } from 'htmlparser2'

export type TestStatus = 'success' | 'failed' | 'skipped' | 'error'

export interface TestCase {
  status: TestStatus
  name: string
  classname: string
  file: string | null
  /** In seconds. */
  execution_time: number
  /** The failure output; null if it didn't fail. */
  system_output: string | null
}

export interface Report {
  cases: TestCase[]
  /** Why the report is ignored or incomplete. */
  error: string | null
}

/** The remaining budget of a file, or of all files of a pipeline. */
export interface Room {
  cases: number
  /** Characters of names and output. */
  chars: number
}

/** Agents concatenate a document for each of their compressed files. */
const maxDocuments = 1_000
const maxOutput_chars = 16 * 1024
const maxName_chars = 1_000
const maxDepth = 100

const statuses: Record<string, TestStatus> = { failure: 'failed', error: 'error', skipped: 'skipped' }

/** The cases of all documents of a file, as far as there is room. */
export function readReport(text: string, { cases, chars }: Room): Report {
  const room = { cases, chars }
  const found: TestCase[] = []
  const documents = text.split(/(?=<\?xml\s)/, maxDocuments + 1).filter((part) => part.trim() !== '')
  let error = documents.length === 0 ? unreadable : null
  if (documents.length > maxDocuments) error = `JUnit XML has more than ${maxDocuments} documents`
  for (const document of documents.slice(0, maxDocuments)) {
    const report = parseJunit(document, room)
    error ??= report.error
    for (const one of report.cases) found.push(one)
  }
  return { cases: found, error }
}

const unreadable = 'JUnit XML data parsing failed'

/** Thrown to stop reading a document that can't be parsed. */
class Unreadable extends Error {}

/** Takes what it uses out of the room. */
function parseJunit(text: string, room: Room): Report {
  const cases: TestCase[] = []
  let seenSuite = false
  const parser = new Parser(handlerOf({ cases, room, onSuite: () => (seenSuite = true) }), { xmlMode: true, decodeEntities: false })
  try {
    // All at once: a reference to a character is in one piece then.
    parser.end(text)
  } catch (error) {
    if (error instanceof Unreadable) return { cases, error: error.message }
    throw error
  }
  return { cases, error: seenSuite ? null : unreadable }
}

interface Found {
  cases: TestCase[]
  room: Room
  onSuite: () => void
}

/**
 * Attributes are taken one by one and references are resolved in what is kept alone: an object of all attributes of an element, or a value with
 * each of its references, could take more memory than the sandbox has at once.
 */
function handlerOf({ cases, room, onSuite }: Found): Partial<Handler> {
  const path: string[] = []
  let current: TestCase | null = null
  let outcome: { status: TestStatus; text: string } | null = null
  let isLiteral = false
  return {
    onopentagname(name) {
      path.push(name)
      if (path.length > maxDepth) throw new Unreadable('JUnit XML is nested too deeply')
      if (name === 'testsuite' || name === 'testsuites') onSuite()
      if (name === 'testcase') current = { status: 'success', name: '', classname: '', file: null, execution_time: 0, system_output: null }
      const status = statuses[name]
      if (current && status && path.at(-2) === 'testcase') outcome = { status, text: '' }
    },
    onattribute(name, value) {
      if (path.at(-1) === 'testcase' && current) setAttribute(current, name, value)
      else if (outcome && name === 'message' && path.at(-2) === 'testcase') outcome.text = resolved(value, maxOutput_chars)
    },
    oncdatastart: () => {
      isLiteral = true
    },
    oncdataend: () => {
      isLiteral = false
    },
    ontext(chunk) {
      if (!outcome || outcome.text.length >= maxOutput_chars) return
      outcome.text += isLiteral ? chunk.slice(0, maxOutput_chars) : resolved(chunk, maxOutput_chars)
    },
    onclosetag(name) {
      path.pop()
      if (current && outcome && statuses[name] === outcome.status) {
        // The first of them determines the status.
        if (current.status === 'success') {
          current.status = outcome.status
          current.system_output = outcome.text.trim().slice(0, maxOutput_chars) || null
        }
        outcome = null
      }
      if (name !== 'testcase' || !current) return
      room.cases -= 1
      room.chars -= charsOf(current)
      if (room.cases < 0 || room.chars < 0) throw new Unreadable('JUnit XML has too many test cases, or too much output')
      cases.push(current)
      current = null
    },
  }
}

function setAttribute(test: TestCase, name: string, value: string): void {
  if (name === 'name' || name === 'classname' || name === 'file') test[name] = resolved(value, maxName_chars)
  else if (name === 'time') {
    const time = Number(value.slice(0, 100).replaceAll(',', ''))
    test.execution_time = Number.isFinite(time) && time >= 0 ? time : 0
  }
}

const characters: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const reference = /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(lt|gt|amp|quot|apos));/g
/** The longest reference has so many. */
const maxReference_chars = 10

/** The beginning of the text, without references to characters; those to entities of the document stay. */
function resolved(text: string, max_chars: number): string {
  const beginning = text.slice(0, max_chars * maxReference_chars)
  return beginning
    .replace(reference, (written, decimal, hex, name) => {
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      return name ? (characters[name] ?? written) : code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    })
    .slice(0, max_chars)
}

/** How much of the room for texts it takes. */
export function charsOf({ name, classname, file, system_output }: TestCase): number {
  return name.length + classname.length + (file?.length ?? 0) + (system_output?.length ?? 0)
}

/** Parses untrusted JUnit reports (XML) in one pass, with limits and without custom entities. Pure: it runs in a worker thread. */
import { Parser } from 'htmlparser2'

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

/** What a file, or all files of a pipeline, may still have. */
export interface Room {
  cases: number
  /** Of names and output. */
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

/** Takes what it uses out of the room. */
function parseJunit(text: string, room: Room): Report {
  const cases: TestCase[] = []
  const path: string[] = []
  let current: TestCase | null = null
  let outcome: { status: TestStatus; text: string } | null = null
  let error: string | null = null
  let seenSuite = false
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name)
        if (path.length > maxDepth) error ??= 'JUnit XML is nested too deeply'
        if (name === 'testsuite' || name === 'testsuites') seenSuite = true
        if (name === 'testcase') current = caseOf(attributes)
        const status = statuses[name]
        if (current && status && path.at(-2) === 'testcase') outcome = { status, text: attributes.message ?? '' }
      },
      ontext(chunk) {
        if (outcome && outcome.text.length < maxOutput_chars) outcome.text += chunk
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
        if (room.cases >= 0 && room.chars >= 0) cases.push(current)
        else error ??= 'JUnit XML has too many test cases, or too much output'
        current = null
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  for (let at = 0; at < text.length && error === null; at += 64 * 1024) parser.write(text.slice(at, at + 64 * 1024))
  if (error === null) parser.end()
  if (!seenSuite && error === null) error = unreadable
  return { cases, error }
}

/** How much of the room for texts it takes. */
export function charsOf({ name, classname, file, system_output }: TestCase): number {
  return name.length + classname.length + (file?.length ?? 0) + (system_output?.length ?? 0)
}

function caseOf(attributes: Record<string, string>): TestCase {
  const time = Number(attributes.time?.replaceAll(',', '') ?? 0)
  return {
    status: 'success',
    name: (attributes.name ?? '').slice(0, maxName_chars),
    classname: (attributes.classname ?? '').slice(0, maxName_chars),
    file: attributes.file?.slice(0, maxName_chars) ?? null,
    execution_time: Number.isFinite(time) && time >= 0 ? time : 0,
    system_output: null,
  }
}

/** Which language a file is written in, told by its name alone; and which files nobody here wrote. */
import { languageNames } from './languages.table.ts'

/** Libraries of others, documentation and examples, and what programs wrote: as little of it as matters in most repositories. */
const notOurs = [
  /(^|\/)(node_modules|bower_components|jspm_packages|vendors?|vendored|third[-_]?party|3rd[-_]?party|externals?|Godeps|Pods|Carthage)\//i,
  /(^|\/)(docs?|documentation|javadoc|examples?|demos?|samples?)\//i,
  /(^|\/)(dist|__generated__|generated|\.yarn|\.cargo|__snapshots__)\//i,
  /(^|\/)(tests?|specs?)\/fixtures\//i,
  /[.-]min\.(js|mjs|css)$/i,
  /(^|\/)(jquery|bootstrap)[^/]*\.(js|css)$/i,
  /(^|\/)(configure|aclocal\.m4|libtool\.m4|ltmain\.sh|config\.guess|config\.sub|gradlew|gradlew\.bat|mvnw|mvnw\.cmd)$/,
  /([._](pb|generated|designer|g|gen)\.[a-z]+|_pb2(_grpc)?\.py|\.pb\.(go|cc|h))$/i,
]

let table: Map<string, string> | null = null

/** The language a file is counted as. Null for what is no source: text, data, pictures, names that say nothing; and for what is not ours. */
export function languageOf(path: string): string | null {
  if (notOurs.some((pattern) => pattern.test(path))) return null
  table ??= readTable()
  const name = path.slice(path.lastIndexOf('/') + 1)
  for (const key of [name, ...extensionsOf(name)]) {
    const language = table.get(key)
    if (language !== undefined) return language === '-' ? null : language
  }
  return null
}

function readTable(): Map<string, string> {
  const entries = languageNames.replace(/\s+/g, ' ').trim().split(/; ?/).slice(0, -1)
  return new Map(
    entries.flatMap((entry) => {
      const [language = '', keys = ''] = entry.split(': ')
      return keys.split(' ').map((key): [string, string] => [key, language])
    }),
  )
}

/** Of `page.html.erb`: `.html.erb`, `.erb`. No language has an extension of more parts than four. */
function extensionsOf(name: string): string[] {
  const parts = name.toLowerCase().split('.').slice(1).slice(-4)
  return parts.map((_, index) => `.${parts.slice(index).join('.')}`)
}

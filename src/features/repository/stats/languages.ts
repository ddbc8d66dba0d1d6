/**
 * Determines the language of a file by its name, and excludes vendored and generated files and documentation. The table is generated from
 * linguist-languages by `tools/languages.mjs`: loading the package would take 22 MB for 13 KB of data. Files are not read, so `.h` files of
 * C and C++ are not distinguished. `linguist-language` in `.gitattributes` has no effect.
 */
import { languageNames } from './languages.table.ts'

/** Vendored libraries, documentation, examples and generated files: the few patterns that matter in most repositories. */
const excluded = [
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

/** The language of a file; null if it isn't source code, is unknown, or is excluded. */
export function languageOf(path: string): string | null {
  if (excluded.some((pattern) => pattern.test(path))) return null
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

/** The extensions of `page.html.erb` are `.html.erb`, `.erb`. No language has an extension of more than four parts. */
function extensionsOf(name: string): string[] {
  const parts = name.toLowerCase().split('.').slice(1).slice(-4)
  return parts.map((_, index) => `.${parts.slice(index).join('.')}`)
}

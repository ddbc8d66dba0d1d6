import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measureComputing } from '../../../../test/support/run/cpu.ts'
import { languageOf } from './languages.ts'

test.each([
  ['lib/a.rb', 'Ruby'],
  ['Rakefile', 'Ruby'],
  ['deep/er/Dockerfile', 'Dockerfile'],
  ['src/index.ts', 'TypeScript'],
  ['src/View.tsx', 'TypeScript'],
  ['MAIN.C', 'C'],
  ['a.h', 'C'],
  ['a.hpp', 'C++'],
  ['a.m', 'Objective-C'],
  ['a.rs', 'Rust'],
  ['a.pl', 'Perl'],
  ['a.t', 'Perl'],
  ['a.html', 'HTML'],
  ['page.html.erb', 'HTML'],
  ['a.css', 'CSS'],
  ['run.sh', 'Shell'],
  ['a.py', 'Python'],
  ['a.go', 'Go'],
  ['Main.java', 'Java'],
  ['a.php', 'PHP'],
  ['a.cs', 'C#'],
  ['a.fs', 'F#'],
  ['a.ml', 'OCaml'],
  ['a.r', 'R'],
  ['a.v', 'Verilog'],
  ['Makefile', 'Makefile'],
  ['a.vim', 'Vim script'],
  ['a.odin', 'Odin'],
])('%s is %s', (path, language) => {
  expect(languageOf(path)).toBe(language)
})

test.each([
  'README.md',
  'notes.txt',
  'data.json',
  'config.yml',
  'dump.sql',
  'go.mod',
  'requirements.txt',
  'picture.png',
  'LICENSE',
  'no-extension',
  '.gitignore',
  '',
  '.',
  'ends-with.',
  'a.constructor',
  'constructor',
  '__proto__',
])('%j is no source', (path) => {
  expect(languageOf(path)).toBeNull()
})

test.each([
  'node_modules/x/index.js',
  'web/node_modules/x/index.js',
  'vendor/a.rb',
  'lib/Third_Party/a.c',
  'third-party/a.c',
  'docs/conf.py',
  'Documentation/a.pl',
  'examples/a.js',
  'dist/app.js',
  'web/app.min.js',
  'web/app-min.css',
  'assets/jquery-3.1.js',
  'configure',
  'api/service.pb.go',
  'api/service_pb2.py',
  'model.g.dart',
  'test/fixtures/a.js',
])('%s was not written here', (path) => {
  expect(languageOf(path)).toBeNull()
})

test.each(['src/vendoring.js', 'documents/a.js', 'distance/a.js', 'src/min.js', 'src/admin.js', 'configure.js', 'jqueryish/a.js', 'pb.go'])(
  '%s was',
  (path) => {
    expect(languageOf(path)).not.toBeNull()
  },
)

test('a name of a megabyte takes no longer than another', () => {
  const used_ms = measureComputing()
  expect(languageOf(`${'a.'.repeat(500_000)}rb`)).toBe('Ruby')
  expect(languageOf(`${'a/'.repeat(500_000)}a.rb`)).toBe('Ruby')
  expect(used_ms()).toBeLessThan(1_000)
})

test('the table is what its tool writes', () => {
  const written = execFileSync(process.execPath, ['tools/languages.mjs'], { encoding: 'utf8' })
  expect(readFileSync(join(import.meta.dirname, 'languages.table.ts'), 'utf8')).toBe(written)
})

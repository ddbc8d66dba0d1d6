/** The configuration and the hooks of every git command. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../durable.ts'

/** Of one push (`git push -o`); git takes any number, and what follows is not passed on. */
export const maxPushOptions = 20

/**
 * The configuration of every command, and the only one.
 * Automatic housekeeping is off: it is done by need, by jobs. Objects and refs are on disk before a push is acknowledged:
 * each loose object costs a flush of its own, so a push of more than a few objects stays the pack it came as.
 */
const gitConfig = `[core]
	fsync = objects,derived-metadata,reference
	bigFileThreshold = 50m
	useReplaceRefs = false
	logAllRefUpdates = false
	filesRefLockTimeout = 15000
	packedRefsTimeout = 15000
[fastimport]
	unpackLimit = 20
[gc]
	auto = 0
[maintenance]
	auto = false
[pack]
	windowMemory = 100m
	writeReverseIndex = true
	threads = 2
[repack]
	writeBitmaps = true
[protocol]
	version = 2
[http]
	followRedirects = false
[uploadpack]
	allowFilter = true
	allowAnySHA1InWant = true
	hideRefs = refs/keep-around
[uploadpackfilter "sparse:oid"]
	allow = false
[uploadpackfilter "combine"]
	allow = false
[receive]
	advertisePushOptions = true
	autogc = false
	unpackLimit = 20
[transfer]
	fsckObjects = true
[fsck]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[receive "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[fetch]
	unpackLimit = 1
[fetch "fsck"]
	badTimezone = ignore
	missingSpaceBeforeDate = ignore
	zeroPaddedFilemode = ignore
	badFilemode = ignore
[tar "tar.bz2"]
	command = bzip2 -c
[safe]
	directory = *
[init]
	defaultBranch = main
`

/**
 * Before the changes come the push options, each a line that begins as no change does. Git takes options with line breaks from clients that
 * send them, and an empty line ends the message: these are left out.
 *
 * Both hooks pass their input to the server that started receive-pack, by pipe 3, and wait for its word on
 * pipe 4: `ok`, or lines that the pusher sees, ended by a dot. A shell reads pipes byte by byte, which takes 60 ms for 2,000
 * refs: of more than a few the rest is copied by `cat`, whose start takes as long as ten or twenty lines.
 */
const hook = `#!/bin/sh
{
  echo "\${0##*/} \${GIT_OBJECT_DIRECTORY:-}"
  count=0
  while [ $count -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ] && [ $count -lt ${maxPushOptions} ]; do
    eval "option=\\$GIT_PUSH_OPTION_$count"
    case $option in *"
"*) ;; *) printf 'option %s\\n' "$option" ;; esac
    count=$((count + 1))
  done
  count=0
  while [ $count -lt 8 ] && IFS= read -r line; do
    printf '%s\\n' "$line"
    count=$((count + 1))
  done
  [ $count -lt 8 ] || cat
  echo
} >&3
read -r verdict <&4 || exit 1
[ "$verdict" = ok ] && exit 0
while [ "$verdict" != . ]; do
  printf '%s\\n' "$verdict" >&2
  read -r verdict <&4 || break
done
exit 1
`

/** Writes configuration and hooks unless they are current; on disk when it resolves. */
export async function writeConfiguration(config_file: string, hooks: string): Promise<void> {
  await keepFile(config_file, gitConfig, 0o644)
  for (const name of ['pre-receive', 'post-receive']) await keepFile(join(hooks, name), hook, 0o755)
}

/** The files of `writeConfiguration` that are missing, changed, or not executable though they should be. */
export async function staleConfiguration(config_file: string, hooks: string): Promise<string[]> {
  const files = [
    { file: config_file, text: gitConfig, mode: 0o600 },
    ...['pre-receive', 'post-receive'].map((name) => ({ file: join(hooks, name), text: hook, mode: 0o700 })),
  ]
  const current = await Promise.all(files.map(({ file, text, mode }) => isCurrent(file, text, mode)))
  return files.filter((_, index) => !current[index]).map(({ file }) => file)
}

/** Mostly current: `gitstead shell` is started for each connection. */
async function keepFile(file: string, text: string, mode: number): Promise<void> {
  if (!(await isCurrent(file, text, mode))) await writeDurably(file, text, mode)
}

async function isCurrent(file: string, text: string, mode: number): Promise<boolean> {
  const [found, known] = await Promise.all([stat(file).catch(() => null), readFile(file, 'utf8').catch(() => null)])
  return found !== null && (found.mode & 0o700) === (mode & 0o700) && known === text
}

/** The version of the interface and of the program. */
import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { signedIn } from '../../http/rules.ts'
import { resource } from '../../http/schema.ts'
import { interfaceVersion, programVersion } from '../../version.ts'

export const version = [
  endpoint('GET /version', {
    summary: 'Get the version',
    access: signedIn(),
    scopes: ['read_user'],
    reply: resource('Version', { version: Type.String(), revision: Type.String() }),
    handle: () => ({ version: interfaceVersion, revision: `gitstead-${programVersion}` }),
  }),
]

/** A rendered text of users as it stands on a page. */
import type { App } from '../../app.ts'
import { withRemotePictures } from '../../features/instance/remote-pictures/remote-pictures.ts'
import { Html } from '../../html/html.ts'

/** @param made what the renderer of texts gave, for a page */
export async function proseHtml(app: App, made: string): Promise<Html> {
  return new Html(await withRemotePictures(app, made))
}

/** The commands of a process that serves the HTTP API, or sends requests to it. */
import { loadHttp } from '../lib/http-load.mjs'

export function serving(state) {
  let close = async () => {}
  return {
    /** Serves on a free port; returns the address and a tenant's key with all scopes. */
    serve: async ({ quotas } = {}) => {
      const served = await state.adapter.serve(state.env, { quotas })
      close = served.close
      return { url: served.url, bareUrl: served.bareUrl, key: served.key }
    },
    unserve: () => close(),
    /** Sends single requests to a server; here, so that the scenario's process stays idle. */
    load: (args) => loadHttp(args),
  }
}

/** The commands of a process that serves the HTTP API. */

export function serving(state) {
  let close = async () => {}
  return {
    /** Serves on a port of its own; answers where, and a key of a tenant that may do everything there. */
    serve: async ({ quotas } = {}) => {
      const served = await state.adapter.serve(state.env, { quotas })
      close = served.close
      return { url: served.url, key: served.key }
    },
    unserve: () => close(),
  }
}

/** The commands of a process that serves the HTTP API. */

export function serving(state) {
  let close = async () => {}
  return {
    /** Serves on a free port; returns the address and a tenant's key with all scopes. */
    serve: async ({ quotas } = {}) => {
      const served = await state.adapter.serve(state.env, { quotas })
      close = served.close
      return { url: served.url, key: served.key }
    },
    unserve: () => close(),
  }
}

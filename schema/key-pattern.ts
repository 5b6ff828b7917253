/** Rule 1. */
export const keyPattern = /^srk_live_[0-9A-Za-z]{40}$/

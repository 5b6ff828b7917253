/** Rule 22. */
export const filterable = /^[ -[\]-~]*$/

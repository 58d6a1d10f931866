//! Generated workloads: patterns in the words of fio, and fitted profiles of published traces.

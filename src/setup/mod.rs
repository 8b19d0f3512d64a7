//! Letting an agent call the desk: the settings file of each agent, and the entries in it that are ours.

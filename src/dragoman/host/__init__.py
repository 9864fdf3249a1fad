"""Many servers, the part that only computes: what is configured, what it is called, what may happen.

config        files of any application -> entries and problems      documents     text -> values with their lines
dialects      where the servers stand, and whose words these are    jsonc, yaml_values   two formats with their habits
fields        the table of what an entry may say                    durations     "20s"
expansion     `${VAR}`                                              schema        the table, for editors
entries       one server, and the hash that leave is given to       discovery     where the files are
naming        which name means which tool                           catalog       all that all servers offer
filters       which tools are wanted                                limits        how often a server is asked
policy        what may happen, and who is asked                     provenance    where a text came from
secrets       what is never shown                                   suspicion     what should not be in a description
lockfile      what servers offered when leave was given             drift         what is different since
matching      patterns of rules                                     news          what a host tells of
"""

__all__: list[str] = []

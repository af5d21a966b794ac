"""The service as applications that the servers of others run. They import nothing of ours."""
